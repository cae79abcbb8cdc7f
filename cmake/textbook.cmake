# What the generated files of a textbook kernel say about its forms, by the text of its header:
# `both`, whether a scan has the inclusive and the exclusive form, and `form`, what that adds to the
# arguments of its plan.
function(upsweep_textbook_forms text)
  if(text MATCHES "template <int threads, bool exclusive_form = false>")
    set(both true PARENT_SCOPE)
    set(form ", exclusive" PARENT_SCOPE)
  else()
    set(both false PARENT_SCOPE)
    set(form "" PARENT_SCOPE)
  endif()
endfunction()
